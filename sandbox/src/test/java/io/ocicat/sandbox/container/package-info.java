@NullMarked
package io.ocicat.sandbox.container;

import org.jspecify.annotations.NullMarked;
