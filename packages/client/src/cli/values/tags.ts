import { problemsIn } from '../json-text.ts';
import { alikeText } from './plain-text.ts';

/** Between commas or semicolons, unless told; as JSON where a tag has one of them. */
export const tagsOf = (cell: string, separator: string | RegExp = /[,;]/): unknown => {
  if (cell.startsWith('["')) {
    try {
      const tags = JSON.parse(cell);
      return problemsIn(cell).size === 0 ? tags : cell;
    } catch {
      // A cell that begins as JSON, and is none, is a tag.
    }
  }
  return split(cell, separator);
};

/** Options of a custom field, as other systems write them: between semicolons where an option may have a comma. */
export const optionsOf = (cell: string, options: readonly string[] = []): unknown => {
  const bySemicolon = split(cell, /;/);
  const isOption = (one: string) => options.some((option) => alikeText(option) === alikeText(one));
  return bySemicolon.every(isOption) ? bySemicolon : tagsOf(cell);
};

const split = (cell: string, separator: string | RegExp): string[] => {
  const tags = cell.split(separator).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
};

/** The cell of tags that `tagsOf` reads as they are. */
export const tagsCell = (tags: readonly string[]): string => {
  const cell = tags.join(';');
  return JSON.stringify(tagsOf(cell)) === JSON.stringify(tags) ? cell : JSON.stringify(tags);
};
