import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';

const written = z.object({
  name: z.string(),
  lines: z.int(),
  bytes: z.int(),
  /** Where to go on after that; absent before the first lines. */
  after: z.optional(z.string()),
  isWhole: z.boolean(),
});
type Written = z.output<typeof written>;

const progress = z.object({ organization_id: z.string(), files: z.array(written) });

interface Manifest {
  organization_id: string;
  files: { name: string; lines: number; bytes: number; sha256: string }[];
}

/** The files of an export in a directory, with how far each is: so that a stopped export can go on. */
export class ExportFiles {
  readonly #directory: string;
  readonly #organizationId: string;
  readonly #files = new Map<string, Written>();

  private constructor(directory: string, organizationId: string) {
    this.#directory = directory;
    this.#organizationId = organizationId;
  }

  /** Throws where the directory has the export of another organization, or a whole one: no file is replaced. */
  static async open(directory: string, organizationId: string): Promise<ExportFiles> {
    const files = new ExportFiles(directory, organizationId);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = files.pathOf(progressFile);
    if (existsSync(path)) {
      const before = progress.parse(JSON.parse(await readFile(path, 'utf8')));
      if (before.organization_id !== organizationId) {
        throw new Error(`${directory} has an export of ${before.organization_id}`);
      }
      for (const one of before.files) files.#files.set(one.name, one);
    } else if (existsSync(files.pathOf(manifestFile))) {
      throw new Error(`${directory} has a whole export: name another directory`);
    }
    return files;
  }

  pathOf(file: string): string {
    return join(this.#directory, file);
  }

  /** How far a file is. What was written after that, as the export was stopped, is cut off. */
  async begin(name: string): Promise<Written> {
    const known = this.#files.get(name);
    const path = this.pathOf(name);
    if (known) await truncate(path, known.bytes);
    else await writeFile(path, '', { mode: 0o600 });
    const file = known ?? { name, lines: 0, bytes: 0, isWhole: false };
    this.#files.set(name, file);
    return file;
  }

  async append(file: Written, lines: readonly object[], after: string): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await appendFile(this.pathOf(file.name), text);
    file.lines += lines.length;
    file.bytes += Buffer.byteLength(text);
    file.after = after;
    await this.#writeProgress();
  }

  async end(file: Written): Promise<void> {
    file.isWhole = true;
    await this.#writeProgress();
  }

  /** Writes what the files have, with a digest of each: then the export is whole. */
  async finish(more: object): Promise<Manifest> {
    const manifest = {
      organization_id: this.#organizationId,
      ...more,
      files: await this.#digests(),
    };
    await this.#replace(manifestFile, manifest);
    await rm(this.pathOf(progressFile));
    return manifest;
  }

  async #digests(): Promise<Manifest['files']> {
    const all = [...this.#files.values()];
    return Promise.all(
      all.map(async ({ name, lines, bytes }) => {
        const hash = createHash('sha256');
        for await (const chunk of createReadStream(this.pathOf(name))) hash.update(chunk);
        return { name, lines, bytes, sha256: hash.digest('hex') };
      }),
    );
  }

  /** A file that is there whole, or not at all. */
  async #replace(name: string, content: object): Promise<void> {
    const path = this.pathOf(name);
    await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  #writeProgress(): Promise<void> {
    return this.#replace(progressFile, {
      organization_id: this.#organizationId,
      files: [...this.#files.values()],
    });
  }
}

const progressFile = '.progress.json';
const manifestFile = 'manifest.json';
