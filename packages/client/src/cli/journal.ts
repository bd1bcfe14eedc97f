import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync } from 'node:fs';
import { keyLifetimeMs } from '../retry.ts';
import { CliError } from './cli-error.ts';
import { appendTo, makeFile, moveAlone, nextOf, replaceOwnFile } from './private-file.ts';

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

/** The results of a batch. */
export interface Done {
  batch: number;
  counts: Counts;
  refused: Refused[];
  /** Values that rows came in without; absent where there are none. */
  leftOut?: Refused[];
}

/** The identity of an import: another file, or other options, make another import. */
interface Identity {
  file_sha256: string;
  base_url: string;
  organization_id: string;
  /** Whose keys its requests have: another user's would be others. Null where no key is needed. */
  user_id: string | null;
  options: unknown;
}

interface Start {
  start: Identity & { id: string };
}
type Line = { sent: number; at: number } | { done: Done };

/**
 * What an import has done so far, beside its report: a line for each batch before it is sent, and a line once it is
 * answered. So an import that was killed goes on: a batch that was sent and not answered is sent again, with the same
 * key.
 */
export class Journal {
  readonly #file: string;
  readonly #id: string;
  readonly #isMatched: boolean;
  /** When each batch was sent first. */
  readonly #sentAt = new Map<number, number>();
  readonly done = new Map<number, Done>();
  #failure: CliError | undefined;
  /** Nobody knows what became of what an earlier run sent. */
  mayHaveStored: boolean;

  private constructor(file: string, id: string, isMatched: boolean, lines: readonly Line[]) {
    this.#file = file;
    this.#id = id;
    this.#isMatched = isMatched;
    for (const line of lines) this.#note(line);
    this.mayHaveStored = this.#sentAt.size > 0;
  }

  /** Opens the journal of an import, or begins a journal. Throws `CliError` where the import can’t go on. */
  static open(file: string, identity: Identity, isMatched: boolean): Journal {
    if (!existsSync(file)) return Journal.#begin(file, identity, isMatched);
    const [{ start }, ...lines] = read(file);
    const { id, ...before } = start;
    if (JSON.stringify(before) !== JSON.stringify(identity)) {
      throw new CliError(
        `${file} is of an import of another file, by another user, or with other options. Finish that one first, or delete ${file} to give it up.`,
      );
    }
    const journal = new Journal(file, id, isMatched, lines);
    for (const batch of journal.#sentAt.keys()) journal.assertRepeatable(batch);
    // The last line may have been cut off.
    replaceOwnFile(file, textOf([{ start }, ...lines]));
    return journal;
  }

  static #begin(file: string, identity: Identity, isMatched: boolean): Journal {
    const id = randomUUID();
    const made = nextOf(file);
    makeFile(made, textOf([{ start: { ...identity, id } }]));
    const isMade = () =>
      new CliError(`${file} was made just now: another import of this file has begun.`);
    moveAlone(made, file, isMade);
    return new Journal(file, id, isMatched, []);
  }

  /** Throws `CliError` where sending a batch again could make its leads twice. */
  assertRepeatable(batch: number): void {
    if (this.#isMatched || this.done.has(batch)) return;
    if (Date.now() - (this.#sentAt.get(batch) ?? Date.now()) <= keyLifetimeMs) return;
    throw new CliError(
      `It was interrupted more than 24 hours ago, so that some rows would be made again. Import with --match, or look at what is there and import only the rest; delete ${this.#file} to begin anew.`,
    );
  }

  /** The idempotency key of a batch, and of what is sent again of it: the same whenever it is sent. */
  keyOf(batch: number, round = 0): string {
    const name = [this.#id, batch, ...(round === 0 ? [] : [round])].join(' ');
    const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
    // RFC 9562, 5.8: a UUID that a program makes in its own way is a version 8.
    bytes[6] = (bytes[6]! & 0x0f) | 0x80;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [8, 12, 16, 20, 32].map((end, i, ends) => hex.slice(ends[i - 1] ?? 0, end)).join('-');
  }

  sending(batch: number): void {
    this.#add({ sent: batch, at: Date.now() });
  }

  noteOutcomes(done: Done): void {
    this.#add({ done });
  }

  /** Once the report is written, or where nothing can have been stored. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #add(line: Line): void {
    if (this.#failure) throw this.#failure;
    try {
      appendTo(this.#file, textOf([line]));
    } catch (error) {
      // A part of the line may be there. Another line after it would make it unreadable.
      this.#failure = new CliError(`${this.#file} can’t be written: ${(error as Error).message}`);
      throw this.#failure;
    }
    this.#note(line);
  }

  #note(line: Line): void {
    if ('done' in line) this.done.set(line.done.batch, line.done);
    if ('sent' in line) this.#sentAt.set(line.sent, this.#sentAt.get(line.sent) ?? line.at);
  }
}

/**
 * The lines of a journal, without the last where that was cut off. Throws `CliError` where there is no start, or
 * another line is damaged.
 */
const read = (file: string): [Start, ...Line[]] => {
  try {
    const texts = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const [start, ...lines] = texts.map((text) => JSON.parse(text));
    if (start?.start) return [start, ...lines];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CliError(
    `${file} is damaged: it does not say what was imported. Import with --match, or look at what is there and import only the rest; delete ${file} to begin anew.`,
  );
};

const textOf = (lines: readonly (Start | Line)[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** The digest of a file, by which its content is told from another. */
export const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
};
