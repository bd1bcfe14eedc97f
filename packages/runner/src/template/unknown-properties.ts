/** Throws if an object still has properties after those that the runner knows were taken out. */
export const refuseUnknown = (where: string, more: object): void => {
  const [name] = Object.keys(more);
  if (name !== undefined) throw new Error(`the runner does not know ${name} of ${where}`);
};
