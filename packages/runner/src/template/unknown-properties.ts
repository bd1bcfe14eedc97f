/** Refuses what is left of an object once all that the runner knows was taken out. */
export const nothingMore = (where: string, more: object): void => {
  const [name] = Object.keys(more);
  if (name !== undefined) throw new Error(`the runner does not know ${name} of ${where}`);
};
