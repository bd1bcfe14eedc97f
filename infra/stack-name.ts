/** The default name of the stack, in AWS and on this machine. */
export const defaultStackName = 'LeadsAndStars';
