interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: string;
  examples?: object;
  schema: Record<string, unknown>;
}

/** What tests read of the document that a reference page shows. */
export interface Document {
  paths: Record<string, Record<string, { parameters: Parameter[] }>>;
}

/** All parameters of all operations, each with its operation; without those that are shared, and have no value. */
export const parametersOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters }]) =>
      parameters
        .filter((one) => one.in)
        .map((one): [string, Parameter] => [`${method} ${path}`, one]),
    ),
  );

/** Optional parameters for which Scalar finds a value: where it looks for one. */
export const valuesOf = (document: Document): string[] =>
  parametersOf(document)
    .filter(([, { required, example, examples, schema }]) => {
      const { default: usual, enum: choices, examples: some, example: one } = schema;
      return !required && [example, examples, usual, choices, some, one].some(Boolean);
    })
    .map(([operation, { name }]) => `${operation} ${name}`);
