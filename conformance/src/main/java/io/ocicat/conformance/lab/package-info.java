/**
 * The environment in which plugins are checked: namespaces that stand for a host and its
 * containers, directories, calls and their outcomes, and a transcript that a shell can repeat.
 */
@NullMarked
package io.ocicat.conformance.lab;

import org.jspecify.annotations.NullMarked;
