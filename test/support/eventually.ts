const usually = Number(process.env.PATIENCE ?? 100_000);

/**
 * Reads again and again until the value is as wanted; fails with the last one after so many milliseconds: usually less
 * than a test may take, as a slow machine may need it.
 */
export const eventually = async <T>(
  read: () => T | Promise<T>,
  wanted: (value: T) => boolean,
  patience = usually,
): Promise<T> => {
  const deadline = Date.now() + patience;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`it stays ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
