"""What verbs say on standard error: lines, bars, and sentences that recur.

In: what happened. Out: a line for people or a JSON line for programs (`log`), bars and counts (`progress`), sentences
of several verbs (`say_run`, `say_left_out`, `say_unanswered`, `say_unseen`), and what ``run`` found (`run_summary`).
"""
