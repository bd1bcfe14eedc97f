/** What the stack is called unless told, in AWS and on this machine. */
export const defaultStackName = 'LeadsAndStars';
