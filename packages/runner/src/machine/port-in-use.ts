import { CliError } from './cli-error.ts';

/** Throws what a server failed with; of a port that is taken, in words. */
export const portInUse =
  (port: number) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CliError(
      `Port ${port} is in use: give another one with --port, or 0 for a free one.`,
    );
  };
