import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

// A comment is read alone: an editor shows it where the name is used.

/** Beginnings that speak of something above the comment, or nowhere. */
const beginning =
  /^(…|(Also|These|Those|It|Its|They|Their|Them|One that|Ones that|The same|Else|Such|Then|As above|(Whether|What|How|When|Where|Until) (it|they)|(Of|By|With|In|From|To) (it|its|these|those|them))\b)/;

/** A number is named by its unit. */
const unit = /\bso many\b/i;

/** Comments of a text, each as one line without its marks. Lines of `//` that follow one another are one. */
const commentsOf = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*(?:\/\*\*((?:.|\n)*?)\*\/|(\/\/.*(?:\n[ \t]*\/\/.*)*))/gm)]
    .map(([, block, lines]) => block ?? lines ?? '')
    .map((comment) =>
      comment
        .replace(/^[ \t]*(\*|\/\/)/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );

const unclearIn = (text: string): string[] =>
  commentsOf(text).filter((comment) => beginning.test(comment) || unit.test(comment));

const files = globSync('{lib,functions,infra,packages/*/src,tools}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules/**', 'packages/client/src/schema.ts'],
});

test('comments name what they are about', () => {
  const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  expect(texts.flatMap(([, text]) => commentsOf(text)).length).toBeGreaterThan(1000);
  const unclear = texts.flatMap(([file, text]) => unclearIn(text).map((one) => `${file}: ${one}`));
  expect(unclear).toEqual([]);
});

test.each([
  '/** … and the id of its event. */',
  '  // Also a list.',
  '/** These that waited, and whatever the feed has. */',
  '/**\n * It came back between\n * the two reads.\n */',
  '/** Whether it was to find out if the endpoint is back. */',
  '/** One that the pipeline has no more becomes the default one. */',
  '/** The same after an update. */',
  '/** At most so many problems are told by one error. */',
  '/** Milliseconds. */\n// Reads\n// so many items.',
])('%s is found', (text) => {
  expect(unclearIn(`const a = 1;\n${text}\nconst b = 2;\n`)).toHaveLength(1);
});

test.each([
  '/** Items, of which each is a lead. */',
  '// A query parameter that is repeated arrives as a list.',
  '/** Whether items were read. */',
  "const text = 'It';",
])('%s is not', (text) => {
  expect(unclearIn(text)).toEqual([]);
});
