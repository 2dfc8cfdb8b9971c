export { LuaMissingError } from "./errors.js";
export { MemoryNode, memoryNodes, type MemoryNodesOptions } from "./memory-node.js";
