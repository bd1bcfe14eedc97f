/** Whether a command that takes no options was asked how it is used; says so then. Refuses all else with an error. */
export const helpAsked = (usage: string): boolean => {
  const given = process.argv.slice(2);
  if (given.length === 0) return false;
  const asked = given.length === 1 && given[0] === '--help';
  if (asked) console.log(usage);
  else {
    console.error(`There is no ${given.join(' ')} here.\n\n${usage}`);
    process.exitCode = 1;
  }
  return true;
};
