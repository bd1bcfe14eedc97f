import { CliError } from '@leads-and-stars/runner';

/** The things that a run has made beside the service's own, and how each of them is removed. */
export class CleanUp {
  readonly #undos: { what: string; undo: () => Promise<unknown> }[] = [];

  /**
   * `undo` will remove it, and does nothing where it is not there: so this comes before it is made, whose answer can be
   * lost. `what` names it, for who has to remove it by hand.
   */
  add(what: string, undo: () => Promise<unknown>): void {
    this.#undos.push({ what, undo });
  }

  /** Removes all, what was made last first. Throws a `CliError` that names what is left. */
  async run(): Promise<void> {
    const left: string[] = [];
    for (const { what, undo } of this.#undos.splice(0).reverse()) {
      await undo().catch(({ message }: Error) => left.push(`${what} (${message})`));
    }
    if (left.length > 0) throw new CliError(`Remove by hand what is left: ${left.join('; ')}`);
  }
}
