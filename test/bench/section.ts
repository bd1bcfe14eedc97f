import type { EChartsOption } from 'echarts';

/** A drawing, stored as docs/benchmarks/<file>.svg. */
export interface Chart {
  file: string;
  /** What it shows, for those who don't see it. */
  alt: string;
  option: EChartsOption;
  height?: number;
}

/** What was wanted of a number, and what it was. */
export interface Goal {
  goal: string;
  measured: string;
  holds: boolean;
}

/** A page of docs/benchmarks/: Markdown and charts, in the order in which they are read. */
export interface Section {
  title: string;
  /** What was found, in a sentence or two, for docs/benchmarks.md. */
  result: string;
  goals: Goal[];
  content: (string | Chart)[];
}

/** Shows how far a section is: it tells first how many steps it has, and then each one. */
export interface Progress {
  expect(steps: number): void;
  step(doing: string): void;
}

/** Measures one section. Whatever it starts, it ends. */
export type Measure = (progress: Progress) => Promise<Section>;

/** A Markdown table; all columns but the first are numbers. */
export const table = (header: readonly string[], rows: readonly (string | number)[][]): string =>
  [header, header.map((_, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
