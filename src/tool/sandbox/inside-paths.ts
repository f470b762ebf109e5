// Paths inside of the sandbox.

/** The program that reads and runs source code. */
export const runnerPath = "/runner.py";

/** Where programs are searched, here and inside. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
