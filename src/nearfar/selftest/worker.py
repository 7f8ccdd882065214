"""The worker process of the self-test: asks the queries that its parent names, and may hang or die doing so.

Orders come as lines of JSON on standard input, answers go to standard output; child.py is the other end. What drivers
print goes to standard error, which the parent keeps for its report. The worker ends when its standard input does, so
that it never outlives its parent, not even in a kernel without end.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
from dataclasses import asdict
from queue import SimpleQueue
from typing import Any

from ..errors import MissingDeviceError
from .cases import Case
from .checks import Answer, Here, describe
from .launches import Watch


def main() -> None:
    """Answer orders until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf8")
    os.dup2(2, 1)
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()

    def say(**answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    faulthandler.enable()
    first = orders.get()
    here = Here(tuple(first["devices"]), first["level"], Watch(first["record"]))
    try:
        say(facts=here.facts())
    except MissingDeviceError as error:
        say(missing=str(error))
    except Exception as error:
        say(error=describe(error))
    faulthandler.disable()
    faulthandler.enable()  # only now: PoCL replaces the handlers of signals when it is loaded
    while True:
        order = orders.get()
        answer = here.ask(Case(*order["case"]), order["modes"], lambda: say(ready=True))
        say(**_as_dict(answer))


def _listen(orders: SimpleQueue[dict[str, Any]]) -> None:
    """Queue the orders; end the process when the parent is gone or has no more."""
    for line in sys.stdin:
        orders.put(json.loads(line))
    os._exit(0)


def _as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer as a dict for JSON."""
    return {
        "outcome": None if answer.outcome is None else asdict(answer.outcome),
        "figures": None if answer.figures is None else asdict(answer.figures),
        "launches": answer.launches,
        "slowest": [asdict(launch) for launch in answer.slowest],
    }
