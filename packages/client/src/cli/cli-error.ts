/** Something that the user can mend: its message is all that is told. */
export class CliError extends Error {}
