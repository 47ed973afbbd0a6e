"""Sound arguments of every kernel of the graph, the bounds of its indices, and a call with some of them changed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

NATIVE = "graphlang.graph.native."
ADJACENCY, COUPLINGS, DEGREE_CAP, LINK_ORDER, CLASSES, MESSAGES, FEATURES, TABLES, STEPS = (
    import_module(f"{NATIVE}{name}")
    for name in (
        *("adjacency", "couplings", "degree_cap", "link_order", "message_classes", "log_messages", "edge_features"),
        *("language_tables", "belief_steps"),
    )
)
ROOM = MESSAGES.MESSAGE_ROOM
STRIPE = MESSAGES.STRIPE


def i32(*values: int) -> Any:
    return np.array(values, np.int32)


def i64(*values: int) -> Any:
    return np.array(values, np.int64)


def f32(*values: float) -> Any:
    return np.array(values, np.float32)


LOGS = ("log_out_degree", "log_in_degree", "log_mutual")
#: The link from page 0 to page 1, as neighbours are packed from it.
ONE_LINK = {
    "longest": 3,
    "out_start": i64(0, 1, 1),
    "in_start": i64(0, 0, 1),
    "target": i32(1),
    "in_source": i32(0),
    "out_degree": i32(1, 0),
    "in_degree": i32(0, 1),
    **dict.fromkeys(LOGS, f32(0, 0)),
}


def pack_neighbours(pages: int, **links: Any) -> Any:
    """The neighbours of all pages."""
    made = FEATURES.neighbours_new(pages, pages, len(links["target"]))
    FEATURES.neighbours_pack(made, first=0, last=pages, **links)
    return made


#: Arguments of each kernel that it takes, by name; arrays are changed in copies. Two pages, link 0 -> 1.
SOUND: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "links_starts": (
        ADJACENCY,
        {"pages": 2, "first": 0, "last": 1, "ends": i32(1), "start": np.zeros(3, np.int64)},
    ),
    "links_sources": (
        ADJACENCY,
        {
            "pages": 2,
            "first": 0,
            "last": 1,
            "source": i32(0),
            "target": i32(1),
            "next": i64(0, 0, 1),
            "in_source": i32(0),
        },
    ),
    "links_order": (
        ADJACENCY,
        {"pages": 2, "first": 0, "last": 1, "target": i32(1), "next": i64(0, 0, 1), "order": i32(0)},
    ),
    "links_reaching": (
        ADJACENCY,
        {
            "first": 0,
            "last": 1,
            "source": i32(0),
            "target": i32(1),
            "selected": np.array([True, False]),
            "output": i32(0),
        },
    ),
    "links_drawn": (
        ADJACENCY,
        {
            "first": 0,
            "last": 1,
            "limit": 2**64 - 1,
            "source": i32(0),
            "target": i32(1),
            "kind": np.uint8([7]),
            "left_out": np.zeros(256, np.bool_),
            "chosen": np.array([True, True]),
            "key": np.uint64([5, 2**63]),
            "output": i32(0),
            "hash": np.uint64([0]),
        },
    ),
    "links_reciprocal": (
        ADJACENCY,
        {
            "first": 0,
            "last": 2,
            "out_start": i64(0, 1, 1),
            "target": i32(1),
            "in_start": i64(0, 0, 1),
            "in_source": i32(0),
            "back": np.zeros(1, np.uint8),
            "mutual": i32(0, 0),
        },
    ),
    "links_reached": (
        ADJACENCY,
        {
            "source": i32(0),
            "target": i32(1),
            "no_evidence": np.array([True, False]),
            "parent": np.zeros(3, np.int32),
            "reached": np.zeros(2, np.uint8),
        },
    ),
    "degree_cap": (
        DEGREE_CAP,
        {
            "first": 0,
            "last": 2,
            "degree": 1.0,
            "out_start": i64(0, 1, 1),
            "in_start": i64(0, 0, 1),
            "in_order": i32(0),
            "source": i32(0),
            "target": i32(1),
            "host": i32(0, 0),
            "coupling": f32(0.5),
            "receives": None,
            "sums": np.zeros(1),
            "to_target": f32(0),
            "to_source": f32(0),
            "page": np.zeros(2),
        },
    ),
    "couplings": (
        COUPLINGS,
        {
            "least": 0.005,
            "most": 0.98,
            "source": i32(0),
            "target": i32(0),
            "kind": np.uint8([7]),
            "feature_log_odds": f32(0.5),
            "host": i32(0),
            "of_group": np.zeros((1, 2)),
            "by_chance": np.zeros(2),
            "of_kind": np.zeros(256),
            "class_of": np.zeros(256, np.uint8),
            "forwards": np.zeros(256, np.uint8),
            "p_same": None,
            "coupling": f32(0),
        },
    ),
    "edge_steps": (
        FEATURES,
        {
            "first": 0,
            "last": 1,
            "longest": 3,
            "source": i32(0),
            "target": i32(1),
            "out_degree": i32(1, 0),
            "in_degree": i32(0, 1),
            "numbers": i32(0),
        },
    ),
    "neighbours_pack": (
        FEATURES,
        {
            "neighbours": FEATURES.neighbours_new(2, 2, 1),
            "first": 0,
            "last": 2,
            **ONE_LINK,
        },
    ),
    "edge_features": (
        FEATURES,
        {
            "neighbours": pack_neighbours(2, **ONE_LINK),
            "source": i32(0),
            "target": i32(1),
            "reciprocal": np.zeros(1, np.uint8),
            "log_counts": f32(0, 1, 2, 3),
            "marks": np.zeros(2, np.uint8),
            "numbers": i32(0),
            "features": np.zeros((1, 14), np.float32),
        },
    ),
    "link_contexts": (
        LINK_ORDER,
        {
            "languages": 2,
            "farthest": 8,
            "backwards": 0,
            "out_start": i64(0, 1, 1),
            "target": i32(1),
            "ordinal": np.int16([0]),
            "host": i32(0, 0),
            "label": np.int16([0, 1]),
            "chosen": np.array([True]),
            "output": i64(0),
            "page": i32(0),
            "key": i64(0),
        },
    ),
    "link_shares": (
        LINK_ORDER,
        {
            "pages": 2,
            "page": i32(0),
            "context": i32(2),
            "start": i64(0, 0, 0),
            "sorted": i32(0),
            "share": np.zeros(1),
            "times": np.zeros(3, np.uint32),
        },
    ),
    "link_counts": (
        LINK_ORDER,
        {
            "contexts": 3,
            "start": i64(0, 1, 1),
            "context": i32(2),
            "share": np.ones(1),
            "label": np.int16([0, 1]),
            "first": i64(0, 0, 0, 0),
            "named": i32(0),
            "count": np.zeros(1),
            "sums": np.zeros(2),
        },
    ),
    "link_ratios": (
        LINK_ORDER,
        {
            "pages": 2,
            "contexts": 3,
            "start": i64(0, 1, 1),
            "context": i32(2),
            "share": np.ones(1),
            "first": i64(0, 0, 0, 1),
            "named": i32(1),
            "ratio": np.ones(1),
            "page": i64(0),
            "sums": np.zeros((1, 2)),
        },
    ),
    "link_messages": (
        CLASSES,
        {
            "levels": 3,
            "receivers": i64(1),
            "start": i64(0, 0, 1),
            "order": i32(0),
            "sender": i32(0),
            "weight": f32(1),
            "level": np.uint8([2]),
            "latent_number": i32(0, 1),
            "sender_class": i32(0, 1),
            "host": i32(0, 0),
            "to": i32(0),
            "key": i64(0),
            "link_weight": f32(0),
        },
    ),
    "coupling_levels": (CLASSES, {"coupling": f32(0.5), "bound": f32(0.2, 0.7), "level": np.uint8([0])}),
    "mark_keys": (CLASSES, {"keys": i64(3), "bits": np.zeros(1, np.uint64)}),
    "number_keys": (
        CLASSES,
        {"keys": i64(3), "bits": np.uint64([8]), "ranks": i32(0), "numbers": i32(0)},
    ),
    "join_links": (
        CLASSES,
        {
            "receiver": i32(0),
            "message_class": i32(0),
            "weight": f32(1),
            "last": i32(-1),
            "receivers": i32(0),
            "sums": np.zeros(1),
        },
    ),
    "list_keys": (CLASSES, {"bits": np.uint64([8, 1]), "keys": i64(0, 0)}),
    "sort_by_class": (
        CLASSES,
        {
            "joined_receiver": i32(0),
            "joined_class": i32(0),
            "joined_weight": f32(0),
            "next": i32(0),
            "receiver": i32(0),
            "weight": f32(0),
        },
    ),
    "messages": (
        MESSAGES,
        {
            "source_marginal": f32(0.5, 0.25, 0.25).reshape(1, 3),
            "switch_to": f32(0.5, 0.25, 0.25).reshape(1, 3),
            "exclusion": f32(0, 0, 0).reshape(1, 3),
            "odds": f32(1, 1, 1).reshape(1, 3),
            "prior": f32(0.5, 0.25, 0.25).reshape(1, 3),
            "unsure_belief": np.zeros((0, 3), np.float32),
            "candidates": np.int16([[0, 1]]),
            "noise": 0.02,
            "highest": 0.98,
            "to_target": 1,
            "group": i32(0),
            "coupling": f32(0.5),
            "sender": i32(3),  # the first that is latent
            "prior_group": i32(0),
            "belief": f32(0.5, 0.3, 0.2).reshape(1, 3),
            "row": i32(0),
            "room": np.zeros(ROOM * 3, np.float32),
            "messages": np.zeros((1, 4), np.float32),
        },
    ),
    "accumulate": (
        MESSAGES,
        {
            "languages": 3,
            "classes": 1,
            "stripe": 0,
            "stripes": 1,
            "start": i64(0, 1),
            "receiver": i32(0),
            "weight": f32(1),
            "candidates": np.int16([[0, 1]]),
            "numbers": i64(0),
            "messages": np.zeros((1, 4), np.float32),
            "incoming": np.zeros((1, 3)),
            "touched": np.zeros(1, np.uint8),
        },
    ),
    "score_table": (
        TABLES,
        {
            "languages": np.int16([[-1, 1]]),
            "probabilities": f32(0, 0.5).reshape(1, 2),
            "column": np.int16([-1, 0]),
            "table": f32(0).reshape(1, 1),
        },
    ),
    "neighbour_log_odds": (
        STEPS,
        {
            "most": 8.0,
            "numbers": i64(0),
            "incoming": np.zeros((1, 2)),
            "weight": f32(1),
            "log_potential": np.zeros((1, 2), np.float32),
            "logs": np.zeros((1, 2), np.float32),
        },
    ),
    "move_beliefs": (
        STEPS,
        {
            "least": 1e-4,
            "slower": 0.3,
            "faster": -0.2,
            "slowest": 0.9,
            "numbers": i64(0),
            "final": f32(1, 0).reshape(1, 2),
            "belief": f32(0.5, 0.5).reshape(1, 2),
            "last": np.zeros((1, 2), np.float32),
            "damping": f32(0),
            "before": np.zeros((1, 2), np.float32),
            "moves": np.zeros(1, np.uint8),
            "largest": f32(0),
        },
    ),
}
#: What each kernel reads as an index, and which entry of it.
INDICES = {
    "links_starts": {"ends": 0},
    "links_sources": {"target": 0, "next": 1},
    "links_order": {"target": 0, "next": 1},
    "links_reciprocal": {"out_start": 1, "in_start": 1},
    "links_reaching": {"source": 0, "target": 0},
    "links_drawn": {"source": 0, "target": 0},
    "links_reached": {"source": 0, "target": 0},
    "degree_cap": {"out_start": 1, "in_start": 1, "in_order": 0, "source": 0, "target": 0, "host": 1},
    "couplings": {"source": 0, "target": 0, "host": 0, "class_of": 7},
    "edge_steps": {"source": 0, "target": 0, "numbers": 0},
    "neighbours_pack": {"out_start": 1, "in_start": 1, "target": 0, "in_source": 0},
    "edge_features": {"source": 0, "target": 0, "numbers": 0},
    "link_contexts": {"out_start": 1, "target": 0, "host": 1, "label": 1},
    "link_shares": {"page": 0, "context": 0},
    "link_counts": {"start": 1, "context": 0, "label": 0},
    "link_ratios": {"start": 1, "context": 0, "first": 3, "named": 0, "page": 0},
    "link_messages": {"receivers": 0, "start": 1, "order": 0, "sender": 0, "level": 0, "sender_class": 0},
    "mark_keys": {"keys": 0},
    "number_keys": {"keys": 0},
    "join_links": {"message_class": 0},
    "sort_by_class": {"joined_class": 0, "next": 0},
    "messages": {"candidates": 1, "group": 0, "sender": 0, "prior_group": 0, "row": 0},
    "accumulate": {"start": 1, "receiver": 0, "candidates": 1, "numbers": 0},
    "score_table": {"languages": 1, "column": 1},
    "neighbour_log_odds": {"numbers": 0},
    "move_beliefs": {"numbers": 0},
}
#: Numbers that are sound: a page without a label; a class, which nothing of this kernel is looked up by.
FINE = {"label": range(-(2**63), 0), "sender_class": range(2**63), "languages": [-1], "column": [-1]}
WILD = (-1, -(2**31), 2**31 - 1, 2**40, -(2**62), 2**63 - 1, 32767, 255)
NUMBERS = {
    "couplings": ["feature_log_odds"],
    "degree_cap": ["coupling"],
    "coupling_levels": ["coupling"],
    "link_messages": ["weight"],
    "messages": ["coupling", "belief"],
    "accumulate": ["weight", "messages"],
}


def call(name: str, **changed: Any) -> Any:
    kernels, given_ = SOUND[name]
    copies = {key: np.copy(value) if isinstance(value, np.ndarray) else value for key, value in given_.items()}
    return getattr(kernels, name)(**{**copies, **changed})
