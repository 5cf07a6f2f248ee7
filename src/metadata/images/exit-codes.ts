/** The process that decodes images ends itself with this code when it needs more memory than it may have. */
export const OUT_OF_MEMORY = 77;
