import { visit } from 'jsonc-parser';
import { invalid } from '../../errors/errors.ts';
import { pathOf } from '../../schema/issues.ts';

/** How deep objects and arrays may be inside of one another. */
const mostLevels = 100;

/**
 * A batch of 100 leads with all fields has 30,000. zod hands on what is wrong as arguments of a call, and with 125,000
 * of them the stack is full.
 */
const mostNamesAndValues = 50_000;

/**
 * Throws `invalid_request` for a text that is not JSON, and for what `JSON.parse` would hide or not survive: a name that
 * is twice in an object or changes prototypes, too many names and values, or nesting that is too deep. Ends at the first
 * of them. Takes time in proportion to the text.
 */
export const assertPlainJson = (text: string): void => {
  const names: Set<string>[] = [];
  let namesAndValues = 0;
  const countOne = () => {
    if (++namesAndValues > mostNamesAndValues) throw invalid('', 'has too many names and values');
  };
  const enter = () => {
    countOne();
    if (names.push(new Set()) > mostLevels) throw invalid('', 'is nested too deeply');
  };
  const leave = () => {
    names.pop();
  };
  const visitor = {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onLiteralValue: countOne,
    onObjectProperty: (name: string, ...[, , , , pathOfObject]: PropertyPlace) => {
      countOne();
      const refuse = (message: string) => {
        throw invalid(pathOf([...pathOfObject(), name]), message);
      };
      const isForbidden = name === 'prototype' && pathOfObject().at(-1) === 'constructor';
      if (isForbidden || name === '__proto__') refuse('is not known here');
      const others = names.at(-1);
      if (others?.has(name)) refuse('is there twice');
      others?.add(name);
    },
    onError: () => {
      throw invalid('', 'must be valid JSON');
    },
  };
  visit(text, visitor, { disallowComments: true });
};

type PropertyPlace = [number, number, number, number, () => (string | number)[]];
