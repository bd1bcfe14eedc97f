import type { Forms } from './tool.ts';
import { hasUntrusted, markUntrusted, notice, untrusted } from './untrusted.ts';

/** Bytes of a tool's result at most, with both its forms: a model pays for what it reads. */
export const mostResultBytes = 8192;
/** What the protocol puts around it. */
const roomAround = 292;

/** How far an answer is cut, step by step: characters of a text that people wrote, and entries of a list. */
const cuts = [
  [2000, 100],
  [1000, 50],
  [400, 20],
  [150, 20],
  [60, 20],
  [25, 20],
  [8, 20],
  [3, 20],
  [3, 5],
  [3, 2],
] as const;

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent: object;
  isError?: true;
}

/** The fullest of the forms that has room, as little cut as that takes; as structured content, and the same as text. */
export const toResult = (forms: Forms, isError = false): ToolResult => {
  for (const [characters, entries] of cuts) {
    for (const form of forms) {
      const cut = cutTo(markUntrusted(form), characters, entries) as object;
      const structuredContent = hasUntrusted(cut) ? { notice, ...cut } : cut;
      const text = JSON.stringify(structuredContent);
      const content = [{ type: 'text' as const, text }];
      const result = { content, structuredContent, ...(isError && { isError: true as const }) };
      if (Buffer.byteLength(JSON.stringify(result)) <= mostResultBytes - roomAround) return result;
    }
  }
  throw new Error('an answer has no form that is short enough');
};

/** The value with lists and what people wrote cut. What was left out is told at its place. */
const cutTo = (value: unknown, characters: number, entries: number, isText = false): unknown => {
  const inner = (one: unknown, name = '') =>
    cutTo(one, characters, entries, isText || name === untrusted);
  if (typeof value === 'string') return isText ? cutText(value, characters) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const left = value.length - entries;
    const shown = value.slice(0, entries).map((one) => inner(one));
    return left > 0 ? [...shown, `… ${left} more left out`] : shown;
  }
  const most = Math.max(entries, leastNames);
  const all = Object.entries(value);
  const shown = all.slice(0, most).map(([name, one]) => [name, inner(one, name)]);
  const rest = all.length > most ? [['…', `${all.length - most} more left out`]] : [];
  return Object.fromEntries([...shown, ...rest]);
};

/** No object of the service's own has more names. Custom fields may have. */
const leastNames = 20;

/** A text that is cut to fewer characters has no room to say how much was cut. */
const shortFrom = 100;

const cutText = (text: string, characters: number): string => {
  const left = text.length - characters;
  if (left <= 0) return text;
  const shown = text.slice(0, characters).toWellFormed();
  return characters < shortFrom ? `${shown}…` : `${shown}… (${left} more characters)`;
};
