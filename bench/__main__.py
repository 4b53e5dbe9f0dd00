"""`python -m bench [PART …]`: measure, print the table, write `results.json`."""

from __future__ import annotations

import argparse
import importlib

from bench import results

PARTS = (
    "loop",
    "house",
    "hops",
    "ack",
    "concurrency",
    "storage",
    "context",
    "selection",
    "rescue",
    "sms",
    "formulas",
    "maths_check",
    "progress",
    "learning",
    "reviews",
    "deliveries",
    "reminders",
    "start",
    "workers",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    for part in arguments.parts or PARTS:
        measured = importlib.import_module(f"bench.{part}").measure(quick=arguments.quick)
        print(results.table(measured), flush=True)
        if not arguments.quick:
            results.write(measured)


if __name__ == "__main__":
    main()
