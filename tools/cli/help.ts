/** Whether a command that takes no options was asked how it is used; says so then. Refuses all else with an error. */
export const handleHelp = (usage: string): boolean => {
  const words = process.argv.slice(2);
  if (words.length === 0) return false;
  const isHelp = words.length === 1 && words[0] === '--help';
  if (isHelp) console.log(usage);
  else {
    console.error(`There is no ${words.join(' ')} here.\n\n${usage}`);
    process.exitCode = 1;
  }
  return true;
};
