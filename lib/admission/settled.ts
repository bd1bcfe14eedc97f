/** A value or a failure, so that the failure can wait for its turn. */
export type Settled<T> = { value: T } | { error: unknown };

export const attempt = <T>(work: () => T): Settled<T> => {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
};

/** The value. Throws the failure. */
export const unwrap = <T>(settled: Settled<T>): T => {
  if ('error' in settled) throw settled.error;
  return settled.value;
};
