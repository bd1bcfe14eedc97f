/** Something that the person at the command line can mend: shown as one message, without a stack. */
export class CliError extends Error {}
