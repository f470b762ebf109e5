// Recognizes a model that is too small to use memory tools on its own.

const maxBillions = 4;

/** Whether the name states a number of parameters up to four billion: `qwen2.5-1.5b-instruct.gguf`, `openai/llama3.2:3b`. */
export function isSmallModel(name: string): boolean {
  const [, number = "", unit = ""] = /(?<![\p{L}\d.])(\d+(?:\.\d+)?)([bm])(?![\p{L}\d])/iu.exec(name) ?? [];
  return number !== "" && (unit.toLowerCase() === "m" || Number(number) <= maxBillions);
}
