# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of ptxopt-corpus.

Each sub-command is a module of the same name, with
  HELP                    one line
  USES_COLLECTION         whether it takes --corpus, which is then args.corpus
  add_arguments(parser)   its options
  main(args)              runs it and gives the exit status
Only the module of the sub-command that runs is imported, unless the help for all is asked for.
"""
import argparse
import importlib
import importlib.util
import os
import sqlite3
import sys

from .errors import Mistake

PROGRAM = "ptxopt-corpus"
COMMANDS = ("add", "run", "compare", "bisect", "table", "report")
DEFAULT_CORPUS = "ptxopt-corpus"
INTERRUPTED = 130  # what a shell makes of SIGINT


def _available():
    return [name for name in COMMANDS if importlib.util.find_spec(f".{name}", __package__)]


def _parser(words):
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Runs ptxopt over all the PTX that you own, and shows what it does to it.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    named = next((word for word in words if not word.startswith("-")), None)
    available = _available()
    for name in [named] if named in available else available:
        module = importlib.import_module(f".{name}", __package__)
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
        if getattr(module, "USES_COLLECTION", False):
            command.add_argument("--corpus", metavar="DIR", default=DEFAULT_CORPUS,
                                 help="the folder of the collection (default: %(default)s)")
        module.add_arguments(command)
        command.set_defaults(main=module.main)
    return parser


def main(words=None):
    words = sys.argv[1:] if words is None else words
    arguments = _parser(words).parse_args(words)
    try:
        return arguments.main(arguments)
    except Mistake as mistake:
        print(f"{PROGRAM}: error: {mistake}", file=sys.stderr)
    except BrokenPipeError:
        pass  # who reads the output has seen enough: flush_and_exit()
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else f"{PROGRAM}: "
        print(f"{where}error: {error.strerror or error}", file=sys.stderr)
    except sqlite3.Error as error:
        print(f"{PROGRAM}: error: the database: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 1


def flush_and_exit(status):
    """Ends the program; a reader of the output that went away is no reason for a traceback."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
