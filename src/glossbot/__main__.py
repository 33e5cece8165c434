"""``python -m glossbot`` is the command line."""

from glossbot.cli import main

main()
