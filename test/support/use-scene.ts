// Scenes that the tests of a file, or of a group of them, share.
// Invariant: a scene is closed before those that were opened before it.

interface Closable {
  close(): unknown;
}

/** Those that are open; undefined: one that could not be opened. */
const scenes: (Closable | undefined)[] = [];

/**
 * Opens a scene before the tests of a file, and closes it after them. Returns the scene; only tests and hooks that are defined
 * later may use it.
 */
export function useScene<Scene extends Closable>(open: () => Promise<Scene>): Scene {
  let scene: Scene | undefined;
  beforeAll(async () => {
    const at = scenes.push(undefined) - 1;
    scene = await open();
    scenes[at] = scene;
  });
  afterAll(() => scenes.pop()?.close());
  return new Proxy({} as Scene, {
    get(_, name) {
      if (scene === undefined) throw new TypeError("the scene is used before it is open");
      return Reflect.get(scene, name) as unknown;
    },
  });
}
