/** Whether a log line is one that a metric filter counts: of its language, what the stack uses. */
export const matches = (pattern: string, line: object): boolean => {
  const clauses = pattern.replace(/^{ | }$/g, '').split(' || ');
  return clauses.some((clause) => {
    const [, path, value, least] =
      /^\(?\$\.([\w.]+) (?:= "([^"]*)"|>= (\d+))\)?$/.exec(clause) ?? [];
    if (path === undefined) throw new Error(`not understood: ${clause}`);
    // biome-ignore lint/suspicious/noExplicitAny: a path through a line of any shape.
    const found = path.split('.').reduce((at: any, name) => at?.[name], line);
    return least === undefined ? found === value : found >= Number(least);
  });
};
