import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();

/** Makes a directory with this beginning of a name. It ends with this process, also where that is stopped while it starts. */
export const temporaryDirectory = async (beginning: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), beginning));
  if (made.size === 0) process.once('exit', removeAll);
  made.add(directory);
  return directory;
};

const removeAll = (): void => {
  for (const directory of made) {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Whoever still writes into it ends a moment after this.
    }
  }
};
