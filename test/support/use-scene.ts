// A scene that the tests of a file share.

/**
 * Opens a scene before the tests of a file, and closes it after them. Returns the scene; only tests and hooks that are defined
 * later may use it.
 */
export function useScene<Scene extends { close(): unknown }>(open: () => Promise<Scene>): Scene {
  let scene: Scene | undefined;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(async () => {
    await scene?.close();
  });
  return new Proxy({} as Scene, {
    get(_, name) {
      if (scene === undefined) throw new TypeError("the scene is used before it is open");
      return Reflect.get(scene, name) as unknown;
    },
  });
}
