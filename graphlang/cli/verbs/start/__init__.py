"""The first two verbs that one needs: everything at once over files, and single texts."""
