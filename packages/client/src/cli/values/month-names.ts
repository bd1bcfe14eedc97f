import { plainText } from './plain-text.ts';

let months: ReadonlyMap<string, number> | undefined;

/** The number of a month by its name in many languages, also by a short name. */
export const monthOf = (name: string): number | undefined => {
  months ??= namesOfMonths();
  return months.get(plainText(name));
};

const namesOfMonths = (): Map<string, number> => {
  const names = new Map<string, number>();
  for (const language of 'en pt es fr de it nl pl sv da nb'.split(' ')) {
    for (const month of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' });
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2026, number - 1, 1));
        const name = plainText(parts.find(({ type }) => type === 'month')?.value ?? '');
        if (!names.has(name)) names.set(name, number);
      }
    }
  }
  return names;
};
