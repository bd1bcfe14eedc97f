/** How long stars stay after a period: Stripe charges the next one about an hour after it has ended. */
export const usualGraceMinutes = 120;

/** As the deployment's file says: 0 to 10,080. */
export const graceMinutes = (): number =>
  Number(process.env.STRIPE_GRACE_MINUTES ?? usualGraceMinutes);
