describe Foo do
  DOC = 1
  attr_reader :app

  it "x" do
    y = DOC
    app.go
    z = 2
    INNER = 3
  end
end

def m
  attr_reader :nope
end
