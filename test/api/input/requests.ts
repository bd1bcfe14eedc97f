// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
export type Json = any;

export type Path = readonly (string | number)[];

/** Every place in a value, from the whole on down. */
export const places = (value: Json, path: Path = []): Path[] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.keys(value).flatMap((key) =>
        places(value[key], [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
];

/** A copy with something else in one place. */
export const replaced = (value: Json, [key, ...rest]: Path, by: unknown): Json => {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = replaced(copy[key], rest, by);
  return copy;
};
