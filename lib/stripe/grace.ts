/** Minutes for which stars stay after a period: Stripe charges the next period about an hour after this period has ended. */
export const usualGraceMinutes = 120;

/** The minutes in the deployment's file: 0 to 10,080. */
export const graceMinutes = (): number =>
  Number(process.env.STRIPE_GRACE_MINUTES ?? usualGraceMinutes);
