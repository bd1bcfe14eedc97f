import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { CliError } from './failure.ts';

/** A row that was refused: the line that it begins in, and why. */
export interface Refused {
  line: number;
  code: string;
  field: string;
  message: string;
}

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

/** What became of a batch. */
export interface Done {
  batch: number;
  counts: Counts;
  refused: Refused[];
}

/** What one import is: another file, or other options, is another import. */
interface Identity {
  file_sha256: string;
  base_url: string;
  organization_id: string;
  options: unknown;
}

type Line = { start: Identity & { id: string } } | { sent: number; at: number } | { done: Done };

/** The service keeps the answers under a key for so long, in milliseconds; less some minutes. */
const keysLast = 24 * 3600_000 - 10 * 60_000;

/**
 * What an import has done so far, beside its report: a line for each batch before it is sent, and one once it
 * is answered. So an import that was killed goes on: what was sent and not answered is sent again, with the
 * same key.
 */
export class Journal {
  readonly #file: string;
  readonly #id: string;
  readonly done: Map<number, Done>;

  private constructor(file: string, id: string, done: Map<number, Done>) {
    this.#file = file;
    this.#id = id;
    this.done = done;
  }

  /** Opens the journal of an import, or begins one. Throws `CliError` where it can’t go on. */
  static open(file: string, identity: Identity, isMatched: boolean): Journal {
    const lines = existsSync(file) ? read(file) : [];
    const [first] = lines;
    if (!first || !('start' in first)) return Journal.#begin(file, identity);
    const { id, ...before } = first.start;
    if (JSON.stringify(before) !== JSON.stringify(identity)) {
      throw new CliError(
        `${file} is of an import of another file, or with other options. Finish that one first, or delete ${file} to give it up.`,
      );
    }
    const done = new Map(
      lines.flatMap((one) => ('done' in one ? [[one.done.batch, one.done]] : [])),
    );
    const open = lines.filter((one) => 'sent' in one && !done.has(one.sent));
    const oldest = Math.min(...open.map((one) => ('at' in one ? one.at : Date.now())));
    if (!isMatched && Date.now() - oldest > keysLast) {
      throw new CliError(
        `It was interrupted more than 24 hours ago, so that some rows would be made again. Import with --match, or look at what is there and import only the rest; delete ${file} to begin anew.`,
      );
    }
    // The last line may have been cut off.
    writeLines(file, lines);
    return new Journal(file, id, done);
  }

  static #begin(file: string, identity: Identity): Journal {
    const id = randomUUID();
    writeLines(file, [{ start: { ...identity, id } }]);
    return new Journal(file, id, new Map());
  }

  /** The idempotency key of a batch: the same whenever it is sent. */
  keyOf(batch: number): string {
    const bytes = createHash('sha256').update(`${this.#id} ${batch}`).digest().subarray(0, 16);
    // RFC 9562, 5.8: a UUID of one’s own making is a version 8.
    bytes[6] = (bytes[6]! & 0x0f) | 0x80;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [8, 12, 16, 20, 32].map((end, i, ends) => hex.slice(ends[i - 1] ?? 0, end)).join('-');
  }

  sending(batch: number): void {
    this.#add({ sent: batch, at: Date.now() });
  }

  answered(done: Done): void {
    this.#add({ done });
    this.done.set(done.batch, done);
  }

  /** Once the report is written. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #add(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

const read = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

const writeLines = (file: string, lines: readonly Line[]): void => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};

/** Tells one content of a file from another. */
export const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
};
