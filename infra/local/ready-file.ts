import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError } from './cli-error.ts';

/** Where a running service is found by the tools beside it. */
export const readyFile = '.local/service.json';

/** Whoever waits for the file never sees half of it. */
export const writeReadyFile = async (file: string, ready: object): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.tmp`, JSON.stringify(ready, null, 2), { mode: 0o600 });
    await rename(`${file}.tmp`, file);
  } catch (error) {
    throw new CliError(`The ready file can't be written: ${(error as Error).message}`);
  }
};

/** Whoever waits for the file does not find that of an earlier run. */
export const clearReadyFile = async (file: string): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true });
    await rm(file, { force: true });
  } catch (error) {
    throw new CliError(`--ready-file ${file} can't be written: ${(error as Error).message}`);
  }
};

/** Leaves the file of another service that was started since. */
export const removeReadyFile = async (file: string, baseUrl: string): Promise<void> => {
  const ready = await readReadyFile(file);
  if (ready?.base_url === baseUrl) await rm(file, { force: true });
};

export const readReadyFile = async (file: string): Promise<Record<string, string> | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
};
