/**
 * What is stored is what no sequence of events makes: a mistake of ours, or a change past the service.
 * An alarm counts it by its name in the logs.
 */
export class WalletInvariant extends Error {
  override name = 'wallet_invariant';
}

export const refuseStored = (message: string): WalletInvariant => new WalletInvariant(message);

/** An entry is there that the wallet knows nothing of: only a restore can part them. */
export const behindLedger = (): WalletInvariant =>
  new WalletInvariant('the wallet is behind its ledger');
