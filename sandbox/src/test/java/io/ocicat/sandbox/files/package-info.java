@NullMarked
package io.ocicat.sandbox.files;

import org.jspecify.annotations.NullMarked;
