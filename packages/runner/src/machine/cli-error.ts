/** An error that the user of a command can fix: shown as one message, without a stack. */
export class CliError extends Error {}
