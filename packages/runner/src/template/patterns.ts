/** EventBridge’s patterns, as far as the runner knows them. */
export type Pattern = { [key: string]: Pattern | Condition[] };
type Condition = string | { prefix: string } | { exists: boolean };

/** The patterns of a filter. Refuses those that the runner does not know. */
export const readPatterns = ({ Filters }: { Filters: { Pattern: string }[] }): Pattern[] =>
  Filters.map(({ Pattern }) => readPattern(JSON.parse(Pattern)));

/** The pattern of a rule. Refuses a pattern that the runner does not know. */
export const readPattern = (pattern: Pattern): Pattern => {
  for (const inner of Object.values(pattern)) {
    if (!Array.isArray(inner)) readPattern(inner);
    else if (!inner.every(isKnown))
      throw new Error(`the runner does not know the pattern ${JSON.stringify(inner)}`);
  }
  return pattern;
};

const isKnown = (condition: Condition): boolean =>
  typeof condition === 'string' || ['prefix', 'exists'].includes(Object.keys(condition).join());

/** Whether a value is as one of the patterns says. */
export const passes = (patterns: readonly Pattern[], value: unknown): boolean =>
  patterns.some((pattern) => matches(pattern, value));

const matches = (pattern: Pattern, value: unknown): boolean =>
  Object.entries(pattern).every(([key, inner]) => {
    const at = (value as Record<string, unknown> | undefined)?.[key];
    return Array.isArray(inner) ? inner.some((one) => meets(one, at)) : matches(inner, at);
  });

const meets = (condition: Condition, value: unknown): boolean => {
  if (typeof condition === 'string') return value === condition;
  if ('exists' in condition) return condition.exists === (value !== undefined);
  return typeof value === 'string' && value.startsWith(condition.prefix);
};
