@NullMarked
package io.ocicat.sandbox.store;

import org.jspecify.annotations.NullMarked;
