/** What can begin before it is needed. */
interface Beginning {
  begin(): void;
}

/**
 * Makes a value at the first event, so that definitions can be loaded without the environment's variables. In Lambda
 * it is made while the function is loaded, and begins then. What fails there fails nothing: it is made anew for the event.
 */
export const early = <T extends Beginning>(make: () => T): (() => T) => {
  let made: T | undefined;
  const get = () => {
    made ??= make();
    return made;
  };
  if (process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined) {
    try {
      get().begin();
    } catch {
      made = undefined;
    }
  }
  return get;
};
