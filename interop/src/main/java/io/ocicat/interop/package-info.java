/**
 * Holds tests only: the whole product under the programs that call CNI plugins. They are a module
 * of their own because they need the command, which no plugin knows.
 */
@NullMarked
package io.ocicat.interop;

import org.jspecify.annotations.NullMarked;
