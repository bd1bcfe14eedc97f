/** Organizations that a command works on at the same time, while the API is shut for it. */
export const organizationsAtOnce = 8;

/** Has each element of a list worked on: `atOnce` elements at the same time. */
export const inTurns = async <T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> => {
  const left = [...all];
  const workOn = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, workOn));
};
