/**
 * JSON as CNI needs it: strict and bounded reading, exact numbers, and a reader that names the path
 * of every wrong field.
 */
@NullMarked
package io.ocicat.cni.json;

import org.jspecify.annotations.NullMarked;
