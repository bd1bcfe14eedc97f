/** What was wanted of a number, and what it was. */
export interface Goal {
  goal: string;
  measured: string;
  holds: boolean;
}

/** A part of docs/benchmarks.md. */
export interface Section {
  title: string;
  goals: Goal[];
  /** How it was measured, and the tables. */
  content: string[];
}

/** Is told each step of a section. */
export type Progress = (doing: string) => void;

/** Measures one section. Whatever it starts, it ends. */
export type Measure = (progress: Progress) => Promise<Section>;

/** A Markdown table without edges; all columns but the first are numbers. */
export const table = (header: readonly string[], rows: readonly (string | number)[][]): string =>
  [header, header.map((_, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => cells.join(' | '))
    .join('\n');

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
