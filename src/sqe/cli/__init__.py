"""The command line: the shell, one-shot statements, the engine's life, the doctor."""
