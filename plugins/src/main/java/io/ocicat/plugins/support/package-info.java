/**
 * Tools that all plugins share: undoing a failed ADD, running every step of a DEL, reading a path.
 */
@NullMarked
package io.ocicat.plugins.support;

import org.jspecify.annotations.NullMarked;
