import { existsSync, readFileSync } from 'node:fs';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { CliError } from '../cli-error.ts';
import { alikeText } from './plain-text.ts';

/** By field, what values of a file are in the API. */
export type UsualValues = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The values that `--values` gives: by field, the API’s value of each value in the file. An empty value leaves it out. */
export class GivenValues {
  readonly #exact = new Map<string, Map<string, string>>();
  /** Undefined where values that are alike have two. */
  readonly #alike = new Map<string, Map<string, string | undefined>>();
  readonly #usual: UsualValues;

  /** Takes texts such as `stage=Open=new;Won=won` or `owner_id=owners.csv`, and what counts where they say nothing. Throws `CliError`. */
  constructor(texts: readonly string[], usual: UsualValues = {}) {
    this.#usual = usual;
    for (const text of texts) {
      const at = text.indexOf('=');
      const [field, said] = [text.slice(0, at).trim(), text.slice(at + 1)];
      if (at < 1 || said === '') throw new CliError(wrongForm(text));
      for (const [from, to] of pairsOf(field, said, text)) this.#add(field, from, to);
    }
  }

  get fields(): string[] {
    return [...this.#exact.keys()];
  }

  /** The values of the API that are said for a field. */
  of(field: string): string[] {
    return [...(this.#exact.get(field)?.values() ?? [])];
  }

  /** The value of the API; undefined where none is said. Case, accents and blanks count only between values that differ in them. */
  get(field: string, cell: string): string | undefined {
    const text = cell.trim();
    return (
      this.#exact.get(field)?.get(text) ??
      this.#alike.get(field)?.get(alikeText(text)) ??
      this.#usual[field]?.[text]
    );
  }

  toJSON(): unknown {
    return [...[...this.#exact].map(([field, all]) => [field, [...all]]), this.#usual];
  }

  #add(field: string, from: string, to: string): void {
    const exact = this.#exact.get(field) ?? new Map<string, string>();
    if (exact.has(from) && exact.get(from) !== to) {
      throw new CliError(`--values gives “${from}” of ${field} two values.`);
    }
    this.#exact.set(field, exact.set(from, to));
    const alike = this.#alike.get(field) ?? new Map<string, string | undefined>();
    const key = alikeText(from);
    const isSure = !alike.has(key) || alike.get(key) === to;
    this.#alike.set(field, alike.set(key, isSure ? to : undefined));
  }
}

const wrongForm = (text: string): string =>
  `--values ${text}: say it as field=From=to, as field=From=to;Other=to, or as field=FILE with two columns.`;

const pairsOf = (field: string, said: string, text: string): [string, string][] => {
  if (existsSync(said)) return pairsInFile(said);
  if (!said.includes('=')) {
    throw new CliError(`--values ${field}: there is no file ${said}, and it is no pair From=to.`);
  }
  const parts = said.split(';').flatMap((part) => {
    const hasOne = part.indexOf('=') === part.lastIndexOf('=');
    return hasOne ? [part] : part.split(',');
  });
  return parts.map((pair) => {
    const at = pair.lastIndexOf('=');
    if (at < 1) throw new CliError(wrongForm(text));
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
};

/** Throws `CliError` for a file in another encoding: none of its values with accents would be found. */
const textIn = (file: string): string => {
  const bytes = readFileSync(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(`${file} is not in UTF-8. Save it so (in Excel: “CSV UTF-8”).`);
  }
};

/** Rows of two cells: the value in the file, and that of the API. */
const pairsInFile = (file: string): [string, string][] => {
  try {
    const rows: string[][] = parse(textIn(file), {
      delimiter: [',', ';', '\t'],
      relax_column_count: true,
      skip_empty_lines: true,
    });
    return rows.map((cells, i) => {
      const [from = '', to = '', ...more] = cells.map((cell) => cell.trim());
      if (from !== '' && cells.length > 1 && more.every((cell) => cell === '')) return [from, to];
      throw new CliError(`${file}, row ${i + 1}: it must have two columns, From and to.`);
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { message } = error as Error;
    throw new CliError(
      `${file} can’t be read${error instanceof CsvError ? ' as CSV' : ''}: ${message}`,
    );
  }
};
